/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.catalogue.Catalogue;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.http.body.Body;
import io.forebay.jdbc.http.limit.Caller;
import io.forebay.jdbc.http.limit.Callers;
import io.forebay.jdbc.http.limit.Permits;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * Lists the statements that a caller may send, and accepts them: one, several that commit together,
 * or a stream. Thread-safe.
 */
@ForebayController
@RequestMapping(StatementsController.PATH)
public final class StatementsController {

  public static final String PATH = "/api/v1/statements";

  private static final int MAX_TOGETHER = 100;

  private final LiveCatalogue catalogue;
  private final StatementGrants grants;
  private final Gateways gateways;
  private final StatementSender sender;
  private final Streams streams;
  private final Callers callers;
  private final int maxBody;

  StatementsController(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      StatementSender sender,
      Streams streams,
      Callers callers,
      DoorProperties properties) {
    this.catalogue = catalogue;
    this.grants = grants;
    this.gateways = gateways;
    this.sender = sender;
    this.streams = streams;
    this.callers = callers;
    maxBody = properties.maxBodyBytes();
  }

  private record Listed(List<Statement> statements) {}

  private record Statement(
      String name,
      int version,
      String reference,
      String gateway,
      @Nullable String lane,
      String kind,
      @Nullable String key,
      boolean independent,
      String state,
      @Nullable String sqlState,
      List<Parameter> params) {

    static Statement of(CatalogueEntry entry, Catalogue current) {
      SqlFailure broken = current.failure(entry);
      return new Statement(
          entry.name(),
          entry.version(),
          entry.reference(),
          entry.gateway(),
          entry.lane(),
          entry.kind().word(),
          entry.key() == null ? null : entry.params().get(entry.key()).name(),
          entry.independent(),
          current.state(entry),
          broken == null ? null : broken.sqlState(),
          entry.params().stream()
              .map(it -> new Parameter(it.name(), it.type().word(), it.nullable()))
              .toList());
    }
  }

  private record Parameter(String name, String type, boolean nullable) {}

  /** Lists the statements that this caller may send. */
  @GetMapping
  void list(@Nullable Principal principal, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    Catalogue current = catalogue.current();
    JsonDocuments.write(
        response,
        200,
        new Listed(
            current.entries().stream()
                .filter(entry -> maySend(caller.principal(), entry.name()))
                .map(entry -> Statement.of(entry, current))
                .toList()));
  }

  /** Whether the caller is granted the statement. */
  public boolean maySend(Principal caller, String name) {
    return grants.maySend(caller, name);
  }

  /** Sends one statement; the hot path of the door, which the benchmark {@code ingest} guards. */
  @PostMapping("/{name}")
  public void send(
      @PathVariable String name,
      @Nullable Principal principal,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    Caller limited = callers.of(caller.name());
    try (Permits.Permit permit = limited.enter()) {
      CatalogueEntry entry = find(caller, name);
      try (Body body = Body.read(request, maxBody, limited.bodies())) {
        byte[] json = body.bytes();
        NamedParameters statement = NamedParameters.of(entry, json, 0, json.length);
        Together one = Together.of(gateways.of(entry, caller.name()), statement);
        sender.send(request, response, limited, permit, body, one);
      }
    }
  }

  /** Sends several statements that commit together. */
  @PostMapping
  void sendTogether(
      @Nullable Principal principal, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    mustHaveOne(caller);
    Caller limited = callers.of(caller.name());
    try (Permits.Permit permit = limited.enter();
        Body body = Body.read(request, maxBody, limited.bodies())) {
      Together together =
          Together.read(
              body.bytes(),
              name -> find(caller, name),
              entry -> gateways.of(entry, caller.name()),
              MAX_TOGETHER);
      sender.send(request, response, limited, permit, body, together);
    }
  }

  /** Sends a statement for each line of the body; without a name in the path, each line has one. */
  @PostMapping(
      path = {"", "/{name}"},
      consumes = MediaType.APPLICATION_NDJSON_VALUE,
      produces = {MediaType.APPLICATION_NDJSON_VALUE, MediaType.APPLICATION_JSON_VALUE})
  void stream(
      @PathVariable(required = false) @Nullable String name,
      @Nullable Principal principal,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    DoorGateway gateway =
        name == null ? gatewayOf(caller, request) : gateways.of(find(caller, name), caller.name());
    Caller limited = callers.of(caller.name());
    try (Permits.Permit _ = limited.enter()) {
      streams.send(
          request,
          response,
          caller,
          limited,
          gateway,
          (bytes, start, end) -> {
            NamedParameters statement = // grants and catalogue may change
                name == null
                    ? NamedParameters.of(bytes, start, end, it -> find(caller, it))
                    : NamedParameters.of(find(caller, name), bytes, start, end);
            mustBeOf(gateway, statement.entry(), caller);
            return statement;
          });
    }
  }

  private DoorGateway gatewayOf(DoorCaller caller, HttpServletRequest request) {
    mustHaveOne(caller);
    DoorGateway named = gateways.find(Query.parameter(request, "gateway"));
    if (named == null) {
      throw Problem.invalid("There is no such gateway; nothing was accepted");
    }
    return gateways.of(named, caller.name());
  }

  /**
   * @throws Problem if the caller may not send a statement of this name, whether it exists or not;
   *     if it does not exist; or if the database refuses it
   */
  private CatalogueEntry find(DoorCaller caller, String name) {
    if (!maySend(caller.principal(), name)) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This caller is not granted this statement");
    }
    Catalogue current = catalogue.current();
    CatalogueEntry entry = current.find(name);
    if (entry == null) {
      throw new Problem(
          ProblemType.UNKNOWN_STATEMENT, "The catalogue has no statement of this name");
    }
    if (current.failure(entry) != null) {
      throw new Problem(
          ProblemType.STATEMENT_BROKEN,
          "The database refused to prepare it (see the log of the server); nothing was accepted");
    }
    return entry;
  }

  /** Refuses a caller who may send nothing, before its body takes memory. */
  private void mustHaveOne(DoorCaller caller) {
    Collection<CatalogueEntry> all = catalogue.current().entries();
    if (!all.isEmpty() && all.stream().noneMatch(it -> maySend(caller.principal(), it.name()))) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This caller is not granted any statement");
    }
  }

  /** All lines of a stream are in one queue. */
  private void mustBeOf(DoorGateway gateway, CatalogueEntry entry, DoorCaller caller) {
    DoorGateway own = gateways.of(entry, caller.name());
    if (own != gateway) {
      throw Problem.invalid(
              "The statement is of another gateway or lane; send its lines as a stream with"
                  + " ?gateway=")
          .with("gateway", own.name());
    }
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.catalogue.Catalogue;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.DoorGateway;
import io.forebay.jdbc.catalogue.FieldError;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.JsonInput;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.catalogue.Param;
import io.forebay.jdbc.catalogue.ParameterReader;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.http.body.Body;
import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.exc.StreamConstraintsException;

/**
 * Lists the statements that a caller may send, and accepts them, one at a time or several that
 * commit together.
 */
final class StatementsResource {

  private final LiveCatalogue catalogue;
  private final StatementGrants grants;
  private final Gateways gateways;
  private final StatementSender sender;
  private final StreamResource streams;
  private final DoorProperties limits;
  private final ByteBudget budget;

  StatementsResource(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      StatementSender sender,
      StreamResource streams,
      DoorProperties limits,
      ByteBudget budget) {
    this.catalogue = catalogue;
    this.grants = grants;
    this.gateways = gateways;
    this.sender = sender;
    this.streams = streams;
    this.limits = limits;
    this.budget = budget;
  }

  /** Lists the statements that this caller may send. */
  void list(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    Catalogue current = catalogue.current();
    JsonResponse.write(
        response,
        200,
        out -> {
          out.writeStartObject();
          out.writeArrayPropertyStart("statements");
          for (CatalogueEntry entry : current.entries()) {
            if (grants.maySend(caller.principal(), entry.name())) {
              write(out, entry, current);
            }
          }
          out.writeEndArray();
          out.writeEndObject();
        });
  }

  private static void write(JsonGenerator out, CatalogueEntry entry, Catalogue current) {
    out.writeStartObject();
    out.writeStringProperty("name", entry.name());
    out.writeNumberProperty("version", entry.version());
    out.writeStringProperty("reference", entry.reference());
    out.writeStringProperty("gateway", entry.gateway());
    if (entry.lane() != null) {
      out.writeStringProperty("lane", entry.lane());
    }
    out.writeStringProperty("kind", entry.kind().word());
    if (entry.key() != null) {
      out.writeStringProperty("key", entry.params().get(entry.key()).name());
    }
    out.writeBooleanProperty("independent", entry.independent());
    out.writeStringProperty("state", current.state(entry));
    SqlFailure broken = current.failure(entry);
    if (broken != null) {
      out.writeStringProperty("sqlState", broken.sqlState());
    }
    out.writeArrayPropertyStart("params");
    for (Param param : entry.params()) {
      out.writeStartObject();
      out.writeStringProperty("name", param.name());
      out.writeStringProperty("type", param.type().word());
      out.writeBooleanProperty("nullable", param.nullable());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  /** Sends the statement that the path names, once or for each line of a stream. */
  void send(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    CatalogueEntry entry = find(caller, nameInPath(request));
    DoorGateway gateway = gateways.of(entry, caller.name());
    if (StreamResource.isStream(request)) {
      streams.send(
          request,
          response,
          caller,
          gateway,
          (bytes, start, end) -> {
            CatalogueEntry current = find(caller, entry.name()); // grants and catalogue may change
            mustBeOf(gateway, current, caller);
            return new NamedParameters(current, parameters(current, bytes, start, end));
          });
      return;
    }
    try (Body body = Body.read(request, limits.maxBodyBytes(), budget)) {
      @Nullable Object[] values = parameters(entry, body.bytes(), 0, body.bytes().length);
      sender.send(
          request,
          response,
          caller,
          gateway,
          entry.partitionKey(values),
          1,
          statements -> {
            Pending<?> pending = gateway.handOver(statements, entry, values);
            body.release(); // the wait for the result holds no memory for the body
            return pending;
          });
    }
  }

  private static String nameInPath(HttpServletRequest request) {
    Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    return String.valueOf(((Map<?, ?>) Objects.requireNonNull(variables)).get("name"));
  }

  /**
   * @throws Problem if the caller may not send a statement of this name, whether it exists or not;
   *     if it does not exist; or if the database refuses it
   */
  private CatalogueEntry find(DoorCaller caller, String name) {
    if (!grants.maySend(caller.principal(), name)) {
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

  /**
   * Reads the values of the parameters from a JSON text.
   *
   * @throws Problem if it is not a JSON object that contains them
   */
  static @Nullable Object[] parameters(CatalogueEntry entry, byte[] body, int start, int end) {
    List<FieldError> errors = new ArrayList<>();
    @Nullable Object[] values;
    try (JsonInput in = new JsonInput(body, start, end)) {
      in.parser().nextToken();
      values = ParameterReader.read(in, entry, "", errors);
      mustEnd(in);
    } catch (JacksonException e) {
      throw malformed(e);
    }
    if (!errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return values;
  }

  private static void mustEnd(JsonInput in) {
    if (in.parser().nextToken() != null) {
      throw new Problem(
          ProblemType.MALFORMED_JSON,
          "The body continues after the JSON value; nothing was accepted");
    }
  }

  private static Problem malformed(JacksonException e) {
    Problem problem =
        new Problem(
            ProblemType.MALFORMED_JSON,
            e instanceof StreamConstraintsException
                ? "The body is nested deeper than %d, or contains a name or number that is too long; nothing was accepted"
                    .formatted(JsonInput.MAX_DEPTH)
                : "The body is not valid JSON; nothing was accepted");
    return e.getLocation() == null
        ? problem
        : problem
            .with("line", e.getLocation().getLineNr())
            .with("column", e.getLocation().getColumnNr());
  }

  /** Sends several statements that commit together, or a stream of statements with their names. */
  void sendSeveral(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    if (StreamResource.isStream(request)) {
      DoorGateway gateway = gateway(request, caller);
      streams.send(
          request,
          response,
          caller,
          gateway,
          (bytes, start, end) -> {
            NamedParameters statement = named(caller, bytes, start, end);
            mustBeOf(gateway, statement.entry(), caller);
            return statement;
          });
      return;
    }
    try (Body body = Body.read(request, limits.maxBodyBytes(), budget)) {
      Together together = together(caller, body);
      DoorGateway gateway = together.gateway();
      sender.send(
          request,
          response,
          caller,
          gateway,
          together.partitionKey(),
          together.size(),
          statements -> {
            Pending<?> pending = statements.executeTogether(together.calls(gateway));
            body.release();
            return pending;
          });
    }
  }

  /** The gateway that the query names, or the lane of the caller in it. */
  private DoorGateway gateway(HttpServletRequest request, DoorCaller caller) {
    DoorGateway named = gateways.find(Query.parameter(request, "gateway"));
    if (named == null) {
      throw new Problem(
          ProblemType.INVALID_REQUEST, "There is no such gateway; nothing was accepted");
    }
    return gateways.of(named, caller.name());
  }

  /** All lines of a stream are in one queue. */
  private void mustBeOf(DoorGateway gateway, CatalogueEntry entry, DoorCaller caller) {
    DoorGateway own = gateways.of(entry, caller.name());
    if (own != gateway) {
      throw new Problem(
              ProblemType.INVALID_REQUEST,
              "The statement is of another gateway or lane; send its lines as a stream with"
                  + " ?gateway=")
          .with("gateway", own.name());
    }
  }

  private NamedParameters named(DoorCaller caller, byte[] bytes, int start, int end) {
    List<FieldError> errors = new ArrayList<>();
    NamedParameters statement;
    try (JsonInput in = new JsonInput(bytes, start, end)) {
      in.parser().nextToken();
      statement = NamedParameters.read(in, name -> find(caller, name), "", errors);
      mustEnd(in);
    } catch (JacksonException e) {
      throw malformed(e);
    }
    if (statement == null || !errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return statement;
  }

  private Together together(DoorCaller caller, Body body) {
    List<FieldError> errors = new ArrayList<>();
    Together together =
        new Together(
            name -> find(caller, name),
            entry -> gateways.of(entry, caller.name()),
            limits.maxTogether(),
            errors);
    try (JsonInput in = new JsonInput(body.bytes())) {
      in.parser().nextToken();
      together.read(in);
      mustEnd(in);
    } catch (JacksonException e) {
      throw malformed(e);
    }
    if (!errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return together;
  }
}

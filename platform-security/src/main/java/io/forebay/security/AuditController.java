/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.problem.WholeText;
import io.forebay.security.body.Invalid;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Csv;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Returns the audit page by page, newest entries first. */
@RestController
final class AuditController {

  private static final int LARGEST_PAGE = 1_000;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private static final List<String> CSV =
      List.of(
          "number", "at", "kind", "actor", "role", "address", "action", "target", "reason",
          "outcome", "changes", "undoes", "hash");

  private final Audit audit;
  private final ReentrantLock checking = new ReentrantLock();

  AuditController(Audit audit) {
    this.audit = audit;
  }

  /**
   * @param kind what {@code actor} is the name of
   * @param number its place in the chain, and the hash there; missing if an older version wrote it
   * @param changes what the command changes; missing if nothing, or if it is not known
   */
  record View(
      long id,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long number,
      Instant at,
      String kind,
      String actor,
      @JsonUnwrapped @JsonIgnoreProperties({"name", "kind"}) Actor caller,
      @JsonUnwrapped @JsonIgnoreProperties({"actor", "change"}) Audit.Entry entry,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Audit.Field> changes,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String hash) {

    static View of(Audit.Recorded recorded) {
      Actor actor = recorded.entry().actor();
      Audit.Link link = recorded.link();
      return new View(
          recorded.id(),
          link == null ? null : link.number(),
          recorded.at(),
          actor.kind().text(),
          actor.name(),
          actor,
          recorded.entry(),
          recorded.entry().change().fields(),
          link == null ? null : link.hash());
    }
  }

  /**
   * @param next the value of {@code before} for the next page, if this one is full
   */
  record Page(List<View> entries, @Nullable Long next) {}

  @GetMapping({"/api/v1/audit", SessionFilter.API + "/audit"})
  Page entries(
      @RequestParam(defaultValue = "" + Long.MAX_VALUE) long before,
      @RequestParam(defaultValue = "100") int limit,
      @RequestParam(required = false) @Nullable String actor,
      @RequestParam(required = false) @Nullable String action,
      @RequestParam(defaultValue = "false") boolean commands) {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new Invalid(List.of(new Invalid.Field("limit", "must be from 1 to " + LARGEST_PAGE)));
    }
    Audit.Filter filter = filter(actor, action, commands);
    List<View> views = audit.before(before, limit, filter).stream().map(View::of).toList();
    return new Page(views, views.size() < limit ? null : views.getLast().id());
  }

  private static Audit.Filter filter(
      @Nullable String actor, @Nullable String action, boolean commands) {
    return new Audit.Filter(given("actor", actor), given("action", action), commands);
  }

  /**
   * All entries of the filter as CSV, newest first, after this was recorded in the audit. They are
   * read and sent page by page. If the database fails after the first page, the connection is
   * closed before the end of the answer, so that nobody takes it for complete.
   */
  @GetMapping({"/api/v1/audit/export", SessionFilter.API + "/audit/export"})
  void export(
      @RequestParam(required = false) @Nullable String actor,
      @RequestParam(required = false) @Nullable String action,
      @RequestParam(defaultValue = "false") boolean commands,
      Actor caller,
      HttpServletResponse response)
      throws IOException {
    Audit.Filter filter = filter(actor, action, commands);
    audit.record(Audit.Entry.allowed(caller, "audit.export", text(filter), ""));
    List<Audit.Recorded> page = audit.before(Long.MAX_VALUE, LARGEST_PAGE, filter);
    response.setContentType("text/csv;charset=UTF-8");
    response.setHeader(HttpHeaders.CACHE_CONTROL, CacheControl.noStore().getHeaderValue());
    response.setHeader(
        HttpHeaders.CONTENT_DISPOSITION,
        ContentDisposition.attachment().filename("audit.csv").build().toString());
    OutputStream out = response.getOutputStream();
    out.write(Csv.line(CSV).getBytes(StandardCharsets.UTF_8));
    while (!page.isEmpty()) {
      for (Audit.Recorded each : page) {
        out.write(Csv.line(fields(each)).getBytes(StandardCharsets.UTF_8));
      }
      out.flush();
      page = page.size() < LARGEST_PAGE ? List.of() : next(page.getLast().id(), filter);
    }
  }

  private List<Audit.Recorded> next(long before, Audit.Filter filter) throws IOException {
    try {
      return audit.before(before, LARGEST_PAGE, filter);
    } catch (Unavailable e) {
      throw new IOException("the audit cannot be read further", e);
    }
  }

  private static String text(Audit.Filter filter) {
    List<String> parts = new ArrayList<>();
    if (filter.actor() != null) {
      parts.add("actor " + filter.actor());
    }
    if (filter.action() != null) {
      parts.add("action " + filter.action());
    }
    if (filter.commands()) {
      parts.add("commands");
    }
    return parts.isEmpty() ? "all entries" : String.join(", ", parts);
  }

  private static List<String> fields(Audit.Recorded recorded) {
    Audit.Entry entry = recorded.entry();
    Audit.Link link = recorded.link();
    Long undoes = entry.change().undoes();
    return List.of(
        link == null ? "" : Long.toString(link.number()),
        recorded.at().toString(),
        entry.actor().kind().text(),
        entry.actor().name(),
        entry.actor().role(),
        entry.actor().address(),
        entry.action(),
        entry.target(),
        entry.reason(),
        entry.outcome(),
        new Audit.Change(entry.change().fields(), null).text(),
        undoes == null ? "" : undoes.toString(),
        link == null ? "" : link.hash());
  }

  record Finding(long from, long to, String damage, String text) {}

  /**
   * @param from the number of the first entry that must exist
   * @param to the number of the last entry
   */
  record Checked(
      boolean intact,
      long from,
      long to,
      long entries,
      long unnumbered,
      List<Finding> findings,
      Instant at) {}

  /** Reads all entries; one check at a time. Others wait for it a few seconds. */
  @GetMapping({"/api/v1/audit/check", SessionFilter.API + "/audit/check"})
  Checked check() throws InterruptedException {
    if (!checking.tryLock(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new ResponseStatusException(
          HttpStatus.SERVICE_UNAVAILABLE,
          "The audit is being checked for another request; retry later.");
    }
    try {
      Audit.Check check = audit.check();
      return new Checked(
          check.isIntact(),
          check.from(),
          check.to(),
          check.entries(),
          check.unnumbered(),
          check.findings().stream()
              .map(it -> new Finding(it.from(), it.to(), it.damage().text(), it.text()))
              .toList(),
          Instant.now());
    } finally {
      checking.unlock();
    }
  }

  private static @Nullable String given(String name, @Nullable String text) {
    if (text != null && !WholeText.is(text)) {
      throw new Invalid(List.of(new Invalid.Field(name, "must be " + WholeText.EXPECTED)));
    }
    return text == null || text.isBlank() ? null : text.strip();
  }
}

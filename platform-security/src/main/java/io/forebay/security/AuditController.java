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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
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

  private final Audit audit;
  private final ReentrantLock checking = new ReentrantLock();

  AuditController(Audit audit) {
    this.audit = audit;
  }

  /**
   * @param kind what {@code actor} is the name of
   * @param number its place in the chain, and the hash there; missing if an older version wrote it
   */
  record View(
      long id,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long number,
      Instant at,
      String kind,
      String actor,
      @JsonUnwrapped @JsonIgnoreProperties({"name", "kind"}) Actor caller,
      @JsonUnwrapped @JsonIgnoreProperties("actor") Audit.Entry entry,
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
    Audit.Filter filter =
        new Audit.Filter(given("actor", actor), given("action", action), commands);
    List<View> views = audit.before(before, limit, filter).stream().map(View::of).toList();
    return new Page(views, views.size() < limit ? null : views.getLast().id());
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

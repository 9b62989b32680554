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
import io.forebay.text.WholeText;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Returns the audit page by page, newest entries first. */
@ForebayController
final class AuditController {

  private static final int LARGEST_PAGE = 1_000;
  private final Audit audit;

  AuditController(Audit audit) {
    this.audit = audit;
  }

  /**
   * @param kind what {@code actor} is the name of
   * @param changes what the command changes; missing if nothing, or if it is not known
   */
  record View(
      long id,
      Instant at,
      String kind,
      String actor,
      @JsonUnwrapped @JsonIgnoreProperties({"name", "kind"}) Actor caller,
      @JsonUnwrapped @JsonIgnoreProperties({"actor", "change"}) Audit.Entry entry,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Audit.Field> changes) {

    static View of(Audit.Recorded recorded) {
      Actor actor = recorded.entry().actor();
      return new View(
          recorded.id(),
          recorded.at(),
          actor.kind().text(),
          actor.name(),
          actor,
          recorded.entry(),
          recorded.entry().change().fields());
    }
  }

  /**
   * @param next the value of {@code before} for the next page, if this one is full
   */
  record Page(List<View> entries, @Nullable Long next) {}

  @GetMapping({"/api/v1/audit", OwnPaths.PAGE + "/audit"})
  Page entries(
      @RequestParam(defaultValue = "" + Long.MAX_VALUE) long before,
      @RequestParam(defaultValue = "100") int limit,
      @RequestParam(required = false) @Nullable String actor,
      @RequestParam(required = false) @Nullable String action,
      @RequestParam(defaultValue = "false") boolean commands) {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw Problem.invalidField("limit", "must be from 1 to " + LARGEST_PAGE);
    }
    Audit.Filter filter =
        new Audit.Filter(given("actor", actor), given("action", action), commands);
    List<View> views = audit.before(before, limit, filter).stream().map(View::of).toList();
    return new Page(views, views.size() < limit ? null : views.getLast().id());
  }

  private static @Nullable String given(String name, @Nullable String text) {
    if (text != null && !WholeText.is(text)) {
      throw Problem.invalidField(name, "must be " + WholeText.EXPECTED);
    }
    return text == null || text.isBlank() ? null : text.strip();
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import io.forebay.admin.Caller;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;

/** The burst button of the demo. */
@ForebayController
@RequestMapping("/admin/api/v1/demo")
final class DemoController {

  private static final int LONGEST = 300;

  private final Demo demo;
  private final Audit audit;

  DemoController(Demo demo, Audit audit) {
    this.demo = demo;
    this.audit = audit;
  }

  /**
   * @param seconds from now
   */
  record Burst(@Nullable Integer seconds) {}

  @PostMapping("/burst")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void burst(@RequestBody(required = false) @Nullable Burst burst, HttpServletRequest request) {
    Actor actor = Caller.of(request);
    Integer seconds = burst == null ? null : burst.seconds();
    if (seconds == null || seconds < 1 || seconds > LONGEST) {
      throw Problem.invalid(
          "The body must be {\"seconds\": n} with n from 1 to %d.".formatted(LONGEST));
    }
    audit.perform(
        Audit.Entry.allowed(actor, "demo.burst", "demo", seconds + " s"),
        () -> {
          demo.burst(Duration.ofSeconds(seconds));
          return seconds;
        });
  }
}

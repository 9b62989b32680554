/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import io.forebay.web.ProblemResolver;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class RefusalsTest {

  private final List<Audit.Entry> written = new ArrayList<>();
  private boolean away;
  private final Refusals refusals =
      new Refusals(
          new Audit() {
            @Override
            public void record(Entry entry) {
              if (away) {
                throw new Unavailable("away", new IllegalStateException());
              }
              written.add(entry);
            }

            @Override
            public List<Recorded> before(long before, int limit, Filter filter) {
              return List.of();
            }
          });

  private void refuse(String name, String path) {
    refusals.add(
        new Actor(Actor.Kind.APPLICATION, name, "none", "10.0.0.1"),
        "GET",
        path,
        403,
        Refusals.Names.CALLER);
  }

  @Test
  void writesOneEntryForEachKindOfRefusal() {
    refuse("a", "/x");
    refuse("a", "/x");
    refuse("b", "/x");
    refusals.flush();
    refusals.flush();
    assertThat(written)
        .extracting(it -> it.actor().name() + " " + it.outcome())
        .containsExactly("a refused (403), 2 times", "b refused (403), once");
  }

  @Test
  void countsRefusalsBeyondItsLimitAsOne() {
    for (int i = 0; i < 5_000; i++) {
      refuse("a", "/" + i);
    }
    refusals.flush();
    assertThat(written).hasSize(Refusals.KINDS + 1);
    assertThat(written.getLast().outcome())
        .isEqualTo("refused, %d times".formatted(5_000 - Refusals.KINDS));
  }

  @Test
  void madeUpPathsHideNeitherKnownCallersNorWrongPasswords() {
    Actor unknown = new Actor(Actor.Kind.ANONYMOUS, "anonymous", "none", "10.0.0.2");
    for (int i = 0; i < 5_000; i++) {
      refusals.add(unknown, "GET", "/" + i, 401, Refusals.Names.NOBODY);
    }
    for (int i = 0; i < 5_000; i++) {
      refuse("a", i == 0 ? "/x" : "/" + i);
    }
    refusals.add(unknown, "POST", "/login as olga", 401, Refusals.Names.USER);
    refusals.flush();
    assertThat(written)
        .extracting(it -> it.target() + " " + it.outcome())
        .contains("/login as olga refused (401), once", "/x refused (403), once");
  }

  /** From a filter as from a controller. */
  @Test
  void countsPasswordsThatHaveToWait() throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    new RefusalFilter(refusals, true)
        .doFilter(
            new MockHttpServletRequest("POST", "/password"),
            response,
            (request, _) ->
                ProblemResolver.answer(
                    new Refused(new Problem(ProblemType.TOO_MANY_FAILURES, "Retry later.")),
                    (HttpServletRequest) request,
                    response));
    assertThat(response.getStatus()).isEqualTo(429);
    refusals.flush();
    assertThat(written).extracting(Audit.Entry::outcome).containsExactly("refused (429), once");
  }

  @Test
  void keepsCountingWhileTheAuditCannotBeWritten() {
    refuse("a", "/x");
    away = true;
    refusals.flush();
    refuse("a", "/x");
    refusals.flush();
    assertThat(written).isEmpty();
    away = false;
    refusals.flush();
    assertThat(written)
        .singleElement()
        .extracting(Audit.Entry::outcome)
        .isEqualTo("refused (403), 2 times");
  }
}

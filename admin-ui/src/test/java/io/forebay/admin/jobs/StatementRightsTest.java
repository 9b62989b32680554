/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.jobs.StatementRights;
import java.security.Principal;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** Which bean decides who may start jobs that perform statements. */
class StatementRightsTest {

  private static final Principal OLGA = () -> "olga";

  /** As that of the door. */
  private interface OfDoor extends StatementRights {}

  private final StatementRights jobs = (_, _) -> true;
  private final OfDoor door = (_, statement) -> statement.equals("orders.place");

  private static StatementRights among(Map<String, Object> beans) {
    return JobsAutoConfiguration.rights(
        new StaticListableBeanFactory(beans).getBeanProvider(StatementRights.class));
  }

  @Test
  void theOnlyOneDecidesAndWithoutOneNobodyMay() {
    assertThat(among(Map.of("door", door))).isSameAs(door);
    assertThat(among(Map.of("jobs", jobs))).isSameAs(jobs);
    assertThat(among(Map.of()).maySend(OLGA, "orders.place")).isFalse();
  }

  @Test
  void oneForJobsDecidesBesideThatOfTheDoor() {
    assertThat(among(Map.of("door", door, "jobs", jobs))).isSameAs(jobs);
    StatementRights another = (_, _) -> false;
    assertThatThrownBy(() -> among(Map.of("jobs", jobs, "another", another)))
        .hasMessageContaining("@Primary");
  }
}

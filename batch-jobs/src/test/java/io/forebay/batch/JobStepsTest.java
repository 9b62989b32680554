/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.jdbc.core.JdbcTemplate;

class JobStepsTest {

  @Test
  void aTaskletThatFailsLeavesNothingAndIsRepeatedByARestart() throws Exception {
    TestBatch batch = new TestBatch();
    JdbcTemplate sql = new JdbcTemplate(batch.database());
    sql.execute("create table done (number int)");
    AtomicInteger runs = new AtomicInteger();
    Step step =
        batch
            .steps()
            .tasklet(
                "clean",
                (_, _) -> {
                  sql.update("insert into done values (1)");
                  if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("broken for the test");
                  }
                  return RepeatStatus.FINISHED;
                })
            .build();

    assertThat(batch.run(step).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(sql.queryForObject("select count(*) from done", Integer.class)).isZero();
    assertThat(batch.run(step).getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(sql.queryForObject("select count(*) from done", Integer.class)).isEqualTo(1);
  }
}

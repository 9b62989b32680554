/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.outbox;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.annotation.OutboxHandler;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The target only counts. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration
public class NamastackApplication {

  /** Counts. */
  public static class Target {

    private final LongAdder handedOver = new LongAdder();

    @OutboxHandler
    public void handle(OutboxApplication.Order order) {
      handedOver.increment();
    }
  }

  @Bean
  Target target() {
    return new Target();
  }

  @Bean
  OutboxApplication application(Outbox outbox, Target target) {
    return new OutboxApplication() {

      @Override
      public void send(long id) {
        outbox.schedule(Order.of(id));
      }

      @Override
      public long handedOver() {
        return target.handedOver.sum();
      }

      @Override
      public String waiting() {
        return "select count(*) from outbox_record where status <> 'COMPLETED'";
      }
    };
  }
}

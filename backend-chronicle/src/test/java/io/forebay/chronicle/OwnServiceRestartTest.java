/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Reader;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.spring.hosting.OwnService;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** An application with a service of its own, on queues that outlive the process. */
class OwnServiceRestartTest {

  interface Numbers {
    void square(long number);
  }

  interface Squares {
    void squared(long number);
  }

  static final class Received implements Squares {
    private final List<Long> squares = new CopyOnWriteArrayList<>();

    @Override
    public void squared(long number) {
      squares.add(number);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    ServiceDefinition<Numbers, Squares> numbers() {
      return ServiceDefinition.of(
          "numbers", Numbers.class, Squares.class, squares -> n -> squares.squared(n * n));
    }

    @Bean
    @Profile("receiving")
    Received received() {
      return new Received();
    }
  }

  @TempDir Path directory;

  private void run(String profile, Consumer<ConfigurableApplicationContext> test) {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .profiles(profile)
            .properties("forebay.data=" + directory.resolve("data"))
            .run()) {
      test.accept(context);
    }
  }

  private static void awaitReceived(ConfigurableApplicationContext context, Long... squares) {
    Received received = context.getBean(Received.class);
    await().untilAsserted(() -> assertThat(received.squares).containsExactly(squares));
  }

  @Test
  void eachAnswerIsReceivedOnceAcrossRestartsEvenIfNobodyWasReceiving() {
    run(
        "receiving",
        context -> {
          context.getBean(Numbers.class).square(2);
          awaitReceived(context, 4L);
        });
    run(
        "absent",
        context -> {
          context.getBean(Numbers.class).square(3);
          awaitAnswers(context, 2);
        });
    run(
        "receiving",
        context -> {
          context.getBean(Numbers.class).square(4);
          awaitReceived(context, 9L, 16L);
        });
  }

  private static void awaitAnswers(ConfigurableApplicationContext context, int count) {
    List<Long> squares = new CopyOnWriteArrayList<>();
    @SuppressWarnings("unchecked")
    OwnService<Numbers, Squares> service = context.getBean(OwnService.class);
    try (Reader<Squares> reader = service.createReader(squares::add)) {
      await()
          .until(() -> {
            reader.poll(10);
            return squares.size() == count;
          });
    }
  }
}

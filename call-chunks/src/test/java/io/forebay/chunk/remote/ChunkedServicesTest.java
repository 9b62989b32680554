/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.Chunked;
import io.forebay.chunk.ChunkedService;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Services that are injected with {@link Chunked}. */
class ChunkedServicesTest {

  private static final String PROPERTY = "forebay.chunks.services.lengths.";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ChunksAutoConfiguration.class))
          .withBean(QueueBackend.class, () -> MemoryBackend.open())
          .withUserConfiguration(Services.class);

  @Configuration(proxyBeanMethods = false)
  static class Services {

    private final List<Integer> chunks = Collections.synchronizedList(new ArrayList<>());

    @Bean
    ListService<String, List<Integer>> letters() {
      return ListService.inOrder(
          "letters",
          ChunkCodec.of(String.class, listOfIntegers()),
          texts -> texts.stream().map(text -> text.chars().boxed().toList()).toList());
    }

    @Bean
    ListService<String, Integer> lengths() {
      return ListService.inOrder(
          "lengths",
          ChunkCodec.of(String.class, Integer.class),
          texts -> {
            chunks.add(texts.size());
            return texts.stream().map(String::length).toList();
          });
    }

    private static java.lang.reflect.Type listOfIntegers() {
      try {
        return Services.class.getDeclaredMethod("integers").getGenericReturnType();
      } catch (NoSuchMethodException e) {
        throw new IllegalStateException(e);
      }
    }

    static List<Integer> integers() {
      return List.of();
    }
  }

  record One(@Chunked("lengths") ChunkedService<String, Integer> service) {}

  record Another(@Chunked("lengths") ChunkedService<String, Integer> service) {}

  record Generic(@Chunked("letters") ChunkedService<String, List<Integer>> service) {}

  record OtherTypes(@Chunked("lengths") ChunkedService<String, Long> service) {}

  record NoTypes(@Chunked("lengths") ChunkedService<?, ?> service) {}

  record NoName(ChunkedService<String, Integer> service) {}

  record Unknown(@Chunked("length") ChunkedService<String, Integer> service) {}

  @Test
  void twoServicesWithTheSameNameEndTheStart() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ChunksAutoConfiguration.class))
        .withUserConfiguration(Services.class, One.class)
        .withBean(
            "again",
            ListService.class,
            () ->
                ListService.inOrder(
                    "lengths", ChunkCodec.of(String.class, Integer.class), texts -> List.of()))
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessage("Two ListService beans have the name lengths; give each its own name"));
  }

  @Test
  void eachInjectionPointOfANameGetsTheSameService() {
    runner
        .withUserConfiguration(One.class, Another.class, Generic.class)
        .run(context -> {
          ChunkedService<String, Integer> service = context.getBean(One.class).service();
          assertThat(service.call("tea")).isEqualTo(3);
          assertThat(context.getBean(Another.class).service()).isSameAs(service);
          assertThat(context.getBean(Generic.class).service().call("a")).containsExactly(97);
        });
  }

  @Test
  void theCallsOfABodyAreCollectedByTheCollectorThatRunsIt() {
    runner
        .withUserConfiguration(One.class)
        .run(context -> {
          ChunkedService<String, Integer> service = context.getBean(One.class).service();
          try (CallCollector left = new CallCollector();
              CallCollector right = new CallCollector()) {
            List<Future<Integer>> bodies = new ArrayList<>(left.startAll(calls(service, 7)));
            bodies.addAll(right.startAll(calls(service, 5)));
            for (Future<Integer> body : bodies) {
              assertThat(body.get()).isEqualTo(1);
            }
            assertThat(left.figures().service("lengths").calls()).isEqualTo(7);
            assertThat(right.figures().service("lengths").calls()).isEqualTo(5);
          }
          assertThat(context.getBean(Services.class).chunks).containsExactlyInAnyOrder(7, 5);
          assertThat(service.call("tea")).isEqualTo(3);
          assertThat(service.figures().calls())
              .as("of all collectors, also of those that are closed")
              .isEqualTo(13);
          assertThat(context.getBean(CallCollector.class).figures().service("lengths").calls())
              .isEqualTo(1);
        });
  }

  private static List<Callable<Integer>> calls(ChunkedService<String, Integer> service, int count) {
    return IntStream.range(0, count)
        .<Callable<Integer>>mapToObj(_ -> () -> service.call("a"))
        .toList();
  }

  @Test
  void propertiesLimitTheChunksOfAService() {
    runner
        .withUserConfiguration(One.class)
        .withPropertyValues(
            PROPERTY + "max-items=20", PROPERTY + "max-in-flight=2", PROPERTY + "timeout=10s")
        .run(context ->
            assertThat(context.getBean(One.class).service().options())
                .isEqualTo(
                    ChunkOptions.defaults()
                        .withMaxItems(20)
                        .withMaxInFlight(2)
                        .withTimeout(Duration.ofSeconds(10))));
    runner
        .withUserConfiguration(One.class)
        .run(context ->
            assertThat(context.getBean(One.class).service().options())
                .isEqualTo(ChunkOptions.defaults()));
  }

  @Test
  void allInvalidPropertiesOfAServiceAreReportedTogether() {
    runner
        .withPropertyValues(
            PROPERTY + "at=crm:8080",
            PROPERTY + "timeout=-1s",
            "forebay.chunks.services.letters.token=secret",
            "forebay.chunks.services.codes.at=queue",
            "forebay.chunks.services.codes.token=secret")
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .message()
                .contains("must be queue, or an address with http or https")
                .contains("services[lengths].timeout")
                .contains("must be an address, because there is a token")
                .contains("a queue needs no token, but backend kafka")
                .doesNotContain("secret"));
  }

  private void assertRefused(Class<?> user, String message, String... properties) {
    runner
        .withUserConfiguration(user)
        .withPropertyValues(properties)
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessage(message));
  }

  @Test
  void aWrongInjectionPointFailsTheStartWithOneSentence() {
    assertRefused(
        Unknown.class,
        "Unknown injects service length, but this application has only the services [lengths, letters]; define a ListService bean with this name, or set forebay.chunks.services.length.at to queue or to an address");
    assertRefused(
        OtherTypes.class,
        "OtherTypes injects service lengths as <java.lang.String, java.lang.Long>, but it is <java.lang.String, java.lang.Integer>; declare these types");
    assertRefused(
        NoTypes.class,
        "NoTypes injects service lengths without its types; declare ChunkedService<Argument, Result>");
    assertRefused(
        NoName.class,
        "NoName has a ChunkedService without a name; annotate it with @Chunked(\"…\"), one of [lengths, letters]");
  }

  @Test
  void aServiceInAnotherProcessNeedsABackendThatTheProcessesShare() {
    assertRefused(
        Unknown.class,
        "forebay.chunks.services.length.at is queue, but no other process can perform the service, because backend memory is not shared; use backend kafka, or call the service over HTTP",
        "forebay.chunks.services.length.at=queue");
  }

  @Test
  void propertiesOfAServiceThatDoesNotExistAreRefused() {
    runner
        .withPropertyValues(
            "forebay.chunks.services.length.max-items=7",
            "forebay.chunks.services.crm.at=https://crm/api/v1/chunks/crm")
        .run(context ->
            assertThat(context.getStartupFailure())
                .isInstanceOf(StartRefused.class)
                .hasMessageStartingWith(
                    "forebay.chunks.services has properties of [length], but this application has"
                        + " only the services [crm, lengths, letters]; "));
  }

  @Configuration(proxyBeanMethods = false)
  static class Length {

    @Bean
    ListService<String, Integer> length() {
      return ListService.inOrder(
          "length",
          ChunkCodec.of(String.class, Integer.class),
          texts -> texts.stream().map(String::length).toList());
    }

    @Bean
    ChunkGrants grants() {
      return (caller, _) -> caller.getName().equals("anyone");
    }
  }

  @Test
  void anAddressMakesTheCallsGoOverHttp() throws Exception {
    try (ChunksServer server = ChunksServer.start(Length.class)) {
      runner
          .withUserConfiguration(Unknown.class)
          .withPropertyValues(
              "forebay.chunks.services.length.at=" + server.address("/api/v1/chunks/length"),
              "forebay.chunks.services.length.token=anyone")
          .run(context ->
              assertThat(context.getBean(Unknown.class).service().call("tea")).isEqualTo(3));
    }
  }
}

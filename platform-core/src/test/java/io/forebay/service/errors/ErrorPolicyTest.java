/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ErrorPolicyTest {

  private static final Duration A_MOMENT = Duration.ofMillis(100);

  private static List<Long> seconds(Duration backOff) {
    ErrorPolicy policy = ErrorPolicy.retry(6, backOff).thenStop();
    return IntStream.rangeClosed(1, 6)
        .mapToObj(failed -> policy.pause(failed).toSeconds())
        .toList();
  }

  @Test
  void thePauseDoublesUpTo30SecondsUnlessItIsLongerFromTheStart() {
    assertThat(seconds(Duration.ofSeconds(4))).containsExactly(4L, 8L, 16L, 30L, 30L, 30L);
    assertThat(seconds(Duration.ofSeconds(15))).containsExactly(15L, 30L, 30L, 30L, 30L, 30L);
    assertThat(seconds(Duration.ofSeconds(45))).containsOnly(45L);
    assertThat(ErrorPolicy.stop().pause(1_000_000)).hasSeconds(30);
    assertThat(ErrorPolicy.defaults().pause(1)).isEqualTo(A_MOMENT);
    assertThat(ErrorPolicy.defaults().pause(2)).isEqualTo(A_MOMENT.multipliedBy(2));
  }

  @ParameterizedTest
  @CsvSource({
    "0, PT1S, 'tries is 0, minimum 1'",
    "1, PT0S, backOff is PT0S; it must be positive",
    "1, PT-1S, backOff is PT-1S; it must be positive"
  })
  void aRetryThatMakesNoSenseIsRefused(int tries, Duration backOff, String message) {
    assertThatThrownBy(() -> ErrorPolicy.retry(tries, backOff))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void givesUpWithTheLastTryAndNeverIfItStops() {
    ErrorPolicy policy = ErrorPolicy.retry(3, A_MOMENT).thenDeadLetter();
    assertThat(policy.givesUp(new IOException(), 2)).isFalse();
    assertThat(policy.givesUp(new IOException(), 3)).isTrue();
    assertThat(policy.stops()).isFalse();
    assertThat(policy.limit()).isEqualTo(" of 3");
    assertThat(ErrorPolicy.stop().givesUp(new IOException(), 3)).isFalse();
    assertThat(ErrorPolicy.stop().stops()).isTrue();
    assertThat(ErrorPolicy.stop().limit()).isEmpty();
  }

  static Stream<UnaryOperator<ErrorPolicy>> twice() {
    return Stream.of(
        it -> it.withFatal(IOException.class).withRetryable(IOException.class),
        it -> it.withFatal(IOException.class).withDeclining(IOException.class),
        it -> it.withDeclining(IOException.class).withRetryable(IOException.class));
  }

  @ParameterizedTest
  @MethodSource("twice")
  void anExceptionIsNamedOnce(UnaryOperator<ErrorPolicy> named) {
    assertThatThrownBy(() -> named.apply(ErrorPolicy.defaults()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exception java.io.IOException is named by with");
  }

  @Test
  void aSubtypeMayBeNamedBesideItsType() {
    ErrorPolicy policy =
        ErrorPolicy.retry(3, A_MOMENT)
            .thenDeadLetter()
            .withFatal(Throwable.class)
            .withDeclining(RuntimeException.class, UncheckedIOException.class);
    assertThat(policy.givesUp(new IOException(), 1)).isTrue();
    assertThat(policy.isDeclining(new IOException())).isFalse();
    assertThat(policy.isDeclining(new IllegalStateException())).isTrue();
  }
}

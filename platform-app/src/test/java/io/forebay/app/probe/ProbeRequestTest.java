/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.app.command.WrongUsage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arguments of the command. */
class ProbeRequestTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --paths=append,queue | --paths=append,queue: path queue does not exist (allowed: append, service, gateway)
          --rates=1000,fast    | --rates=fast is not a whole number (allowed: 1 and more)
          --rates=0            | --rates=0 is not a whole number (allowed: 1 and more)
          --seconds=0          | --seconds=0 is not a whole number (allowed: 1 and more)
          --seconds=86400      | --seconds=86400 is too large (allowed: 1 to 3,600)
          --bytes=2000000      | --bytes=2000000 is too large (allowed: 1 to 1,000,000)
          --out=x.pdf          | --out=x.pdf must end with .html
          --out=/none/x.html   | --out=/none/x.html cannot be written: /none is not a directory that this user may write to
          --short=yes          | --short takes no value (value=yes)
          --bytes              | --bytes needs a value
          --fast               | probe has no option --fast (allowed: --paths, --gateway
          """)
  void saysWhatIsWrongAndWhatIsAllowed(String argument, String message) {
    assertThatThrownBy(() -> ProbeRequest.of(List.of(argument)))
        .isInstanceOf(WrongUsage.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aShortProbeHasItsOwnLength() {
    assertThat(ProbeRequest.of(List.of("--short")).plan().length())
        .isLessThan(Duration.ofSeconds(1));
    assertThatThrownBy(() -> ProbeRequest.of(List.of("--short", "--seconds=5")))
        .hasMessage("--short takes no --seconds");
  }

  @Test
  void readsListsAndLeavesPropertiesToSpring() {
    ProbeRequest request =
        ProbeRequest.of(
            List.of("--rates", "5000, 100,5000", "--paths=service,append", "--forebay.data=/x"));
    assertThat(request.plan().rates()).containsExactly(100L, 5_000L);
    assertThat(request.paths())
        .containsExactly(ProbeRequest.Kind.APPEND, ProbeRequest.Kind.SERVICE);
    assertThat(request.configuration()).containsExactly("--forebay.data=/x");
    assertThat(request.out()).isEqualTo(Path.of("forebay-probe.html").toAbsolutePath());
    assertThat(request.figures()).isEqualTo(Path.of("forebay-probe.json").toAbsolutePath());
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The arguments of the command. */
class RequestTest {

  @Test
  void saysWhatIsWrongAndWhatIsAllowed() {
    assertThatThrownBy(() -> Request.of(List.of("lst")))
        .isInstanceOf(WrongUsage.class)
        .hasMessage("queue has no command lst (allowed: ls, dump, tail, grep, replay)");
    assertThatThrownBy(() -> Request.of(List.of("ls", "--values")))
        .hasMessageContainingAll("queue ls has no option --values", "--queue, --partition");
    assertThatThrownBy(() -> Request.of(List.of("dump", "--queue")))
        .hasMessage("--queue needs a value");
    assertThatThrownBy(() -> Request.of(List.of("dump", "--values=all")))
        .hasMessage("--values takes no value");
    assertThatThrownBy(() -> Request.of(List.of("dump", "--queue=a", "--queue=b")))
        .hasMessage("--queue is given twice");
    assertThatThrownBy(() -> Request.of(List.of("grep", "--id=17")).id())
        .hasMessageContaining("--id=17 is not a UUID");
    assertThatThrownBy(() -> number("dump", "--to=yesterday"))
        .hasMessage("--to=yesterday is not a whole number (allowed: 5 and more)");
    assertThatThrownBy(() -> number("dump", "--to=4"))
        .hasMessage("--to=4 is not a whole number (allowed: 5 and more)");
    assertThat(number("dump", "--to", "6")).isEqualTo(6);
    assertThat(number("dump")).isEqualTo(7);
  }

  private static long number(String... arguments) {
    return Request.of(List.of(arguments)).number(Request.Option.TO, 5, 7);
  }

  @Test
  void leavesPropertiesToSpring() {
    Request request = Request.of(List.of("grep", "--values", "--forebay.data=/x", "--key", "k.1"));
    assertThat(request.configuration()).containsExactly("--forebay.data=/x");
    assertThat(request.value(Request.Option.KEY)).isEqualTo("k.1");
    assertThat(request.has(Request.Option.VALUES)).isTrue();
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.app.command.WrongUsage;
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
    assertThatThrownBy(() -> Request.of(List.of("dump", "--id=17")).selection())
        .hasMessageContaining("--id=17 is not a UUID");
    assertThatThrownBy(() -> Request.of(List.of("dump", "--to=yesterday")).selection())
        .hasMessageContaining("--to=yesterday is neither a position");
  }

  @Test
  void leavesPropertiesToSpring() {
    Request request = Request.of(List.of("tail", "-f", "--forebay.data=/x", "--key", "k.1"));
    assertThat(request.configuration()).containsExactly("--forebay.data=/x");
    assertThat(request.value(Request.Option.KEY)).isEqualTo("k.1");
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;

class CallGivenUpTest {

  /** As a framework does that passes exceptions between processes. */
  @Test
  void keepsItsFailureWhenItIsSerialized() throws Exception {
    CallFailure failure = new CallFailure("java.lang.IllegalStateException", "no stock", true);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new CallGivenUp(failure));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(((CallGivenUp) in.readObject()).failure()).isEqualTo(failure);
    }
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.Writer;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** The wait for a message that must be accepted before the work continues. */
public final class Acceptance {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private Acceptance() {}

  /**
   * Waits until the queue has accepted all messages of a writer.
   *
   * @param missing what is wrong if it does not
   * @param consequence the end of that sentence, with what follows; may be empty
   * @throws Unavailable if it has not accepted them in time; it may still do so
   */
  public static void await(Writer<?> writer, String missing, String consequence) {
    try {
      writer.await(LIMIT);
    } catch (TimeoutException e) {
      throw unavailable(missing, consequence, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable(missing, consequence, e);
    }
  }

  private static Unavailable unavailable(String missing, String consequence, Exception cause) {
    return new Unavailable(
        "%s (limit=%d s)%s".formatted(missing, LIMIT.toSeconds(), consequence), cause);
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives every {@code await()} of the tests two minutes. A passing test rarely waits that long,
 * except beside other builds on the same machine.
 *
 * <p>JUnit finds it where tests run. A listener of the launcher would be loaded by Maven's own JVM,
 * too, which may be older than these classes.
 */
public final class Patience implements BeforeAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
  }
}

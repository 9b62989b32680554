/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips the tests with a message if Chromium is not installed. If the environment variable {@code
 * CI} is set, as in {@code .ci/run}, they fail instead.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsChromium.Condition.class)
@interface NeedsChromium {

  final class Condition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      if (Chromium.executable().isPresent()) {
        return ConditionEvaluationResult.enabled("there is a Chromium");
      }
      String reason =
          "no Chromium is installed (looked at %s); the page is not tested in a browser"
              .formatted(Chromium.PLACES);
      if (System.getenv("CI") != null) {
        throw new IllegalStateException(reason);
      }
      System.err.println(context.getDisplayName() + " is skipped: " + reason);
      return ConditionEvaluationResult.disabled(reason);
    }
  }
}

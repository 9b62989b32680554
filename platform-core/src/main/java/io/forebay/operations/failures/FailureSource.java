/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.util.Collection;

/** A bean that knows the failed messages of some services; {@link Failures} asks it once. */
@FunctionalInterface
public interface FailureSource {

  Collection<? extends ServiceFailures> failures();
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

/** What each stage of the pipeline is called with, and what it calls of the next one. */
@FunctionalInterface
public interface SimpleService {
  void simpleCall(SimpleData data);
}

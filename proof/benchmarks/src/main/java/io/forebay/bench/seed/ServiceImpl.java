/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

/** A stage of the pipeline. */
public final class ServiceImpl implements SimpleService {

  private final SimpleService output;

  public ServiceImpl(SimpleService output) {
    this.output = output;
  }

  @Override
  public void simpleCall(SimpleData data) {
    data.number *= 10;
    data.ts = System.nanoTime();
    output.simpleCall(data);
  }
}

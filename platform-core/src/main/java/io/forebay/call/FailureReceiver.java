/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/**
 * Receives the failures among the answers of a service. An object that is called with answers may
 * implement it beside its protocol.
 */
@FunctionalInterface
public interface FailureReceiver {

  /**
   * A call was not performed. {@link Message#current()} has the id of the call and its position,
   * {@link Message#source()}; no answer follows.
   */
  void callFailed(CallFailure failure);
}

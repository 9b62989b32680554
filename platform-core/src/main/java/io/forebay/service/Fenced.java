/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

/**
 * Another instance has taken over the partition. This instance has stopped and has changed nothing
 * since.
 */
public final class Fenced extends RuntimeException {

  private static final long serialVersionUID = 1;

  public Fenced(String message) {
    super(message);
  }
}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

/** The dead letters of some services; as a bean it is part of {@link DeadLetters}. */
public interface DeadLetterSource extends Failures {}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

/**
 * Messages that a service gave up: it could not decode them, or its component threw. Those of a
 * gateway are kept until their replay takes effect, and then as long as results; those of other
 * services for the time that the service defines.
 */
public interface DeadLetters extends Failures {}

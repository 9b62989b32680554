/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

/**
 * Messages that could not be decoded. Each is kept until its replay takes effect, and then as long
 * as results are kept.
 */
public interface DeadLetters extends Failures {}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/** Statements that were answered with a failure. Kept as long as results are. */
public interface FailedStatements extends Failures {}

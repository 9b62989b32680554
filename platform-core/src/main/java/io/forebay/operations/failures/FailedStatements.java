/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

/** Failed statements. Kept as long as results. */
public interface FailedStatements extends Failures {}

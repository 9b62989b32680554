/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The tables written in the transaction of a batch: progress, outcomes, idempotency keys, failures.
 */
@NullMarked
package io.forebay.jdbc.ledger;

import org.jspecify.annotations.NullMarked;

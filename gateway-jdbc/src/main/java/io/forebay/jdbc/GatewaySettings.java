/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * What the components of one gateway share.
 *
 * @param service its name in the ledger
 * @param owner this instance, in words for an operator
 * @param requestsKept how long idempotency keys are remembered
 * @param independent tells of an SQL text whether its statements may change places with others
 */
record GatewaySettings(
    String service,
    String owner,
    Limits limits,
    Duration requestsKept,
    Predicate<String> independent) {}

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.Limits;
import io.forebay.jdbc.Results;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * What the components of one gateway share.
 *
 * @param service its name in the ledger
 * @param owner this instance, in words for an operator
 * @param texts what statements may say
 * @param requestsKept how long idempotency keys are remembered
 * @param failuresKept how long statements that failed are remembered; not longer than the keys, by
 *     which they know what became of them
 * @param independent tells of an SQL text whether its statements may change places with others
 * @param results which of them are answered
 * @param failed counts the statements that failed
 * @param tries how often a statement is tried whose error may pass, while the database performs
 *     others
 * @param blocked the messages that are tried again and again
 * @param clock the time by which keys and failures are forgotten
 * @param queueEnd the position behind the last message of a partition, if it is known
 */
public record GatewaySettings(
    String service,
    String owner,
    StatementTexts texts,
    Limits limits,
    Duration requestsKept,
    Duration failuresKept,
    Predicate<String> independent,
    Results results,
    LongAdder failed,
    int tries,
    BlockedMessages blocked,
    GatewayClock clock,
    IntFunction<OptionalLong> queueEnd) {}

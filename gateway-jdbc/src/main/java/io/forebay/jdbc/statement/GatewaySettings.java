/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.Results;
import io.forebay.jdbc.lane.Share;
import io.forebay.service.errors.BlockedMessages;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Settings that the components of a gateway share.
 *
 * @param service its name in the ledger
 * @param texts resolves and checks the texts of statements
 * @param statementTimeout how long one statement may take, at least 1 s
 * @param requestsKept how long idempotency keys are kept
 * @param failuresKept how long failed statements are kept; at most as long as keys, which record
 *     the outcome of their replay
 * @param results which results are appended to the out-queue
 * @param failed counts the statements that failed
 * @param tries the maximum number of attempts after transient errors, while the database performs
 *     others
 * @param blocked the messages that keep failing
 * @param quarantine that of the process
 * @param clock decides when keys and failures expire
 * @param queueEnd the position after the last message of a partition; empty if unknown
 * @param share its share of the database among the lanes of a gateway; null if there is one lane
 */
public record GatewaySettings(
    String service,
    StatementTexts texts,
    Duration statementTimeout,
    Duration requestsKept,
    Duration failuresKept,
    Results results,
    LongAdder failed,
    int tries,
    BlockedMessages blocked,
    Quarantine quarantine,
    GatewayClock clock,
    IntFunction<OptionalLong> queueEnd,
    @Nullable Share share) {

  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  public static final int DEFAULT_TRIES = 30;
}

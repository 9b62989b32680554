/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Queues as topics of a Kafka cluster. */
@NullMarked
package io.forebay.kafka;

import org.jspecify.annotations.NullMarked;

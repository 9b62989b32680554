/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A real Kafka broker as a child process, for tests and development. */
@NullMarked
package io.forebay.kafka.broker;

import org.jspecify.annotations.NullMarked;

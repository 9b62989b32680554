/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Meters of Kafka's clients. */
@NullMarked
package io.forebay.kafka.meters;

import org.jspecify.annotations.NullMarked;

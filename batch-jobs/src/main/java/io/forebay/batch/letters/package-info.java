/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The job of Knoche's paper "Improving Batch Performance when Migrating to Microservices with
 * Chunking and Coroutines": one letter per contract, with the customer and the address from
 * services that are called in different ways. Start reading with {@link
 * io.forebay.batch.letters.PremiumLetters}.
 */
@NullMarked
package io.forebay.batch.letters;

import org.jspecify.annotations.NullMarked;

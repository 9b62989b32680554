/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The queue backend on Chronicle Queue: one host, low latency. */
@NullMarked
package io.forebay.chronicle;

import org.jspecify.annotations.NullMarked;

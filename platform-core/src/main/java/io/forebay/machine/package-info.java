/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Clocks, waits, threads and chance: what a process gets from the machine that it runs on. */
@NullMarked
package io.forebay.machine;

import org.jspecify.annotations.NullMarked;

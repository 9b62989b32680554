/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The benchmarks of Forebay, each beside what it is compared to. */
@NullMarked
package io.forebay.bench;

import org.jspecify.annotations.NullMarked;

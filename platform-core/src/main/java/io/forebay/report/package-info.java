/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Samples each service once a second, and computes the one report that all readers show. */
@NullMarked
package io.forebay.report;

import org.jspecify.annotations.NullMarked;

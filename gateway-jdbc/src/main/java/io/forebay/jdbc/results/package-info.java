/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * All results of a sender, from a position of the out-queue on, without gaps and without doubles.
 */
@NullMarked
package io.forebay.jdbc.results;

import org.jspecify.annotations.NullMarked;

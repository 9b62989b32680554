/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Refusals of requests, common to the HTTP interfaces of all modules. */
@NullMarked
package io.forebay.problem;

import org.jspecify.annotations.NullMarked;

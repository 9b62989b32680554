/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the HTTP interfaces of all modules have in common when they refuse a request. */
@NullMarked
package io.forebay.problem;

import org.jspecify.annotations.NullMarked;

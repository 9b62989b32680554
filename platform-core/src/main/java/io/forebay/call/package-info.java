/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Calls of an interface become messages on a queue, and messages become calls again. */
@NullMarked
package io.forebay.call;

import org.jspecify.annotations.NullMarked;

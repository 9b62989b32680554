/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What operators have set for single callers, in the system database. */
@NullMarked
package io.forebay.system.callers;

import org.jspecify.annotations.NullMarked;

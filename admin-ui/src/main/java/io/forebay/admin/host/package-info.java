/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The disk and the memory that services share, and what an operator is told of the set-up. */
@NullMarked
package io.forebay.admin.host;

import org.jspecify.annotations.NullMarked;

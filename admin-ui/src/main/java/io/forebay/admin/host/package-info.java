/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The disk and the memory that services share, and the set-up as an operator sees it. */
@NullMarked
package io.forebay.admin.host;

import org.jspecify.annotations.NullMarked;

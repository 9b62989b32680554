/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The disk that services share. */
@NullMarked
package io.forebay.admin.host;

import org.jspecify.annotations.NullMarked;

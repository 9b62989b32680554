/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The HTTP API for operators. */
@NullMarked
package io.forebay.admin;

import org.jspecify.annotations.NullMarked;

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What an operator sees and may do, over HTTP. */
@NullMarked
package io.forebay.admin;

import org.jspecify.annotations.NullMarked;

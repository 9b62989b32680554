/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What every controller of the HTTP API for operators needs. */
@NullMarked
package io.forebay.admin;

import org.jspecify.annotations.NullMarked;

/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Refusals of HTTP requests as problem documents (RFC 9457), common to all modules. */
@NullMarked
package io.forebay.web;

import org.jspecify.annotations.NullMarked;

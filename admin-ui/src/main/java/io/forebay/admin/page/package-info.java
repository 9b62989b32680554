/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The files of the admin page, and how they get to the browser. */
@NullMarked
package io.forebay.admin.page;

import org.jspecify.annotations.NullMarked;

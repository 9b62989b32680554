/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The files of the admin page, and the controller that serves them. */
@NullMarked
package io.forebay.admin.page;

import org.jspecify.annotations.NullMarked;

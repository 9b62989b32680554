/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The files of the admin page, the controller that serves them, and the demo. */
@NullMarked
package io.forebay.admin.page;

import org.jspecify.annotations.NullMarked;
